@echo off
rem Starts compound-docs.exe, which is installed apart from the plugin.
for %%D in ("%USERPROFILE%\go\bin" "%LOCALAPPDATA%\Programs\compound-docs") do if exist "%%~D\compound-docs.exe" (
  "%%~D\compound-docs.exe" %*
  exit /b
)
rem The folder in which it is started is a repository, whose programs must not run.
set "NoDefaultCurrentDirectoryInExePath=1"
compound-docs.exe %*
