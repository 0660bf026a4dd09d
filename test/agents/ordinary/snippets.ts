/** The three attempts in several languages. */
export const SHELL = {
  read: "cat @KEY@\n",
  write: "echo x > @OUT@\n",
  // With a socket of its own, then through the proxy that the variables may name.
  reach: "bash -c ': > /dev/tcp/@IP@/@PORT@'\ncurl -s @URL@ || true\n",
};

export const EXECUTABLE = {
  read: `#!/bin/sh\n${SHELL.read}`,
  write: `#!/bin/sh\n${SHELL.write}`,
  reach: `#!/bin/sh\n${SHELL.reach}`,
};

export const NODE = {
  read: 'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("@KEY@", "utf8"));\n',
  write: 'import { writeFileSync } from "node:fs";\nwriteFileSync("@OUT@", "x");\n',
  reach: 'console.log(await (await fetch("@URL@")).text());\n',
};

export const PYTHON = {
  read: "print(open('@KEY@').read())\n",
  write: "open('@OUT@', 'w').write('x')\n",
  reach: "import urllib.request\nprint(urllib.request.urlopen('@URL@').read())\n",
};

export const RUBY = {
  read: "puts File.read('@KEY@')\n",
  write: "File.write('@OUT@', 'x')\n",
  reach: "require 'socket'\nTCPSocket.new('@IP@', @PORT@).close\n",
};

export const PHP = {
  read: "<?php echo file_get_contents('@KEY@');\n",
  write: "<?php file_put_contents('@OUT@', 'x');\n",
  reach: "<?php echo file_get_contents('@URL@');\n",
};

export const JAVA = {
  read: java('System.out.println(java.nio.file.Files.readString(java.nio.file.Path.of("@KEY@")));'),
  write: java('java.nio.file.Files.writeString(java.nio.file.Path.of("@OUT@"), "x");'),
  reach: java('new java.net.Socket("@IP@", @PORT@).close();'),
};

function java(statement: string): string {
  return `public class X { public static void main(String[] a) throws Exception { ${statement} } }\n`;
}

export const GO = {
  read: go("os", 'b, _ := os.ReadFile("@KEY@"); println(string(b))'),
  write: go("os", 'os.WriteFile("@OUT@", []byte("x"), 0o644)'),
  reach: go("net", 'c, e := net.Dial("tcp", "@IP@:@PORT@"); if e == nil { c.Close() }'),
};

function go(imported: string, statement: string): string {
  return `package main\nimport "${imported}"\nfunc main() { ${statement} }\n`;
}

/** For build.rs, which cargo runs before it checks the crate; a failure makes cargo print what was read. */
export const BUILD_RS = {
  read: 'fn main() { println!("cargo:warning={}", std::fs::read_to_string("@KEY@").unwrap().lines().next().unwrap()); }\n',
  write: 'fn main() { std::fs::write("@OUT@", "x").unwrap(); }\n',
  reach: 'fn main() { std::net::TcpStream::connect("@IP@:@PORT@").unwrap(); }\n',
};
