import { expect, test } from "vitest";
import { npmRegistries, pipRegistries } from "./private-home.ts";

test("npm's registries come along, logins do not", () => {
  const settings = `; mine
registry = https://user:secret@npm.example.com/all/?token=secret
@team:registry="https://npm.example.com/team/"
@other:registry=\${SECRET_URL}
//npm.example.com/:_authToken=secret
//npm.example.com/:registry=https://secret.example.com/
_auth=secret
_password=secret
email=a@example.com
init-module=/secret.js
proxy=http://u:secret@proxy.example.com
registry=file:///secret
`;
  expect(npmRegistries(settings)).toBe(
    "registry=https://npm.example.com/all/\n@team:registry=https://npm.example.com/team/\n",
  );
});

test("pip's registries come along, logins do not", () => {
  const settings = `[global]
index-url = https://__token__:secret@pypi.example.com/simple
extra-index-url =
    https://a.example.com/simple
    # a comment
    https://u:secret@b.example.com/simple
trusted-host = pypi.example.com:8443
client-cert = /secret.pem
    https://secret.example.com
[other]
index-url = https://secret.example.com
[install]
find_links: https://c.example.com/wheels /secret
`;
  expect(pipRegistries(settings)).toBe(`[global]
index-url =
    https://pypi.example.com/simple
[global]
extra-index-url =
    https://a.example.com/simple
    https://b.example.com/simple
[global]
trusted-host =
    pypi.example.com:8443
[install]
find_links =
    https://c.example.com/wheels
`);
});
