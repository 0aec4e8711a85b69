#!/usr/bin/env node
// Starts compound-docs. The program for each system is in a separate npm package. Nothing is downloaded.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const file = process.platform === "win32" ? "compound-docs.exe" : "compound-docs";
const arguments_ = process.argv.slice(2);

function installed() {
  const system = `${process.platform}-${process.arch}`;
  try {
    return require.resolve(`@compound-docs/${system}/bin/${file}`);
  } catch {
    console.error(`compound-docs: its package @compound-docs/${system} is not installed. Install again without ` +
      "--omit=optional; or take another kind from https://github.com/compound-docs/compound-docs/releases");
    process.exit(1);
  }
}

// npx may empty its cache of packages, and assistants start the program later. So init copies the program to a folder
// in which it stays.
function kept(program) {
  const folder = process.platform === "win32"
    ? path.join(process.env.LOCALAPPDATA || os.homedir(), "Programs", "compound-docs")
    : path.join(os.homedir(), ".local", "bin");
  const target = path.join(folder, file);
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.copyFileSync(program, target + ".new");
    fs.chmodSync(target + ".new", 0o755);
    fs.renameSync(target + ".new", target);
    const postgresql = path.join(path.dirname(program), "postgresql");
    if (fs.existsSync(postgresql)) replace(postgresql, path.join(folder, "..", "lib", "compound-docs", "postgresql"));
  } catch (error) {
    console.error(`compound-docs: the program cannot be put into ${folder}: ${error.message}`);
    return program; // the program's own init says how to install it
  }
  console.error(`program: put into ${target}, since npx may empty its cache`);
  return target;
}

// Replaces a folder. The program looks for PostgreSQL in a folder beside itself, or in ../lib.
function replace(from, to) {
  fs.rmSync(to + ".new", { recursive: true, force: true });
  fs.cpSync(from, to + ".new", { recursive: true });
  fs.rmSync(to, { recursive: true, force: true });
  fs.renameSync(to + ".new", to);
}

let program = installed();
if (arguments_[0] === "init" && program.split(path.sep).includes("_npx")) program = kept(program);
const child = spawn(program, arguments_, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`compound-docs: ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
