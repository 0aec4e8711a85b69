@echo off
rem Starts compound-docs.exe, which is installed apart from the plugin.
for %%D in ("%USERPROFILE%\go\bin" "%LOCALAPPDATA%\Programs\compound-docs" "%LOCALAPPDATA%\Volta\bin" "%USERPROFILE%\.bun\bin" "%LOCALAPPDATA%\mise\shims") do if exist "%%~D\compound-docs.exe" (
  "%%~D\compound-docs.exe" %*
  exit /b
)
rem npm installs the program as a script.
if exist "%APPDATA%\npm\compound-docs.cmd" (
  call "%APPDATA%\npm\compound-docs.cmd" %*
  exit /b
)
rem The current folder is a repository, and its programs must not run.
set "NoDefaultCurrentDirectoryInExePath=1"
compound-docs.exe %*
