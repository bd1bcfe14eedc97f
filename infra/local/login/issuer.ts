import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { Events, OAuth2Server } from 'oauth2-mock-server';
import { generate } from 'selfsigned';

export const audience = 'leads-and-stars-local';

/** An OIDC issuer on this machine, with real keys and a certificate of its own. */
export interface LocalIssuer {
  url: string;
  certificateFile: string;
  /** Signs an id_token for a user, good for half a day. */
  idToken(userId: string): Promise<string>;
  /** The key that signs, private part included: for tests that sign tokens of their own. */
  signingKey: Record<string, unknown>;
  /** Its HTTP interface, to be served elsewhere too; `login_hint` says who logs in. */
  serve: RequestListener;
  close(): Promise<void>;
}

const tokenLife = 12 * 60 * 60;

/** Starts the issuer over HTTPS on a free port; its certificate is written into the directory. */
export const startIssuer = async (directory: string): Promise<LocalIssuer> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    notAfterDate: new Date(Date.now() + 7 * 24 * 60 * 60 * 1000),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const certificateFile = join(directory, 'issuer.pem');
  const keyFile = join(directory, 'issuer.key');
  await writeFile(certificateFile, cert);
  await writeFile(keyFile, key, { mode: 0o600 });

  const server = new OAuth2Server(keyFile, certificateFile, {
    endpoints: { jwks: '/.well-known/jwks.json' },
  });
  await server.issuer.keys.generate('RS256');
  await server.start(0, 'localhost');
  const { issuer } = server;
  logInAsHinted(server.service);

  return {
    url: issuer.url ?? '',
    certificateFile,
    idToken: (userId) =>
      issuer.buildToken({
        expiresIn: tokenLife,
        scopesOrTransform: (_header, payload) => {
          Object.assign(payload, { sub: userId, aud: audience, token_use: 'id' });
        },
      }),
    serve: server.service.requestHandler,
    signingKey: issuer.keys.toJSON(true)[0] ?? {},
    close: () => server.stop(),
  };
};

/** A code is for the user whom `login_hint` named when it was asked for. */
const logInAsHinted = (service: OAuth2Server['service']): void => {
  const users = new Map<unknown, string>();
  service.on(Events.BeforeAuthorizeRedirect, ({ url }, request) => {
    const hint = new URL(request.url ?? '', 'http://localhost').searchParams.get('login_hint');
    users.set(url.searchParams.get('code'), hint ?? '');
  });
  service.on(Events.BeforeTokenSigning, ({ payload }, { body }) => {
    payload.sub = users.get(body.code);
  });
  service.on(Events.BeforeResponse, (_response, { body }) => users.delete(body.code));
};
