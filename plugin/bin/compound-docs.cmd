@echo off
rem Starts compound-docs.exe, which is installed apart from the plugin.
for %%D in ("%USERPROFILE%\go\bin" "%LOCALAPPDATA%\Programs\compound-docs" "%LOCALAPPDATA%\Volta\bin" "%USERPROFILE%\.bun\bin" "%LOCALAPPDATA%\mise\shims") do if exist "%%~D\compound-docs.exe" (
  "%%~D\compound-docs.exe" %*
  exit /b
)
rem npm makes a script.
if exist "%APPDATA%\npm\compound-docs.cmd" (
  call "%APPDATA%\npm\compound-docs.cmd" %*
  exit /b
)
rem The folder in which it is started is a repository, whose programs must not run.
set "NoDefaultCurrentDirectoryInExePath=1"
compound-docs.exe %*
