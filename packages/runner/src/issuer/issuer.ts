import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Events, OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';
import { machineNow } from '../clock/shifted-date.ts';
import { withOriginCheck } from '../machine/origin-check.ts';
import { replaceFile } from '../machine/private-file.ts';

/** Whatever signs tokens that an issuer's keys verify. */
export interface IssuerIdentity {
  url: string;
  /** Whom its tokens are for. */
  audience: string;
  /** What to trust beside the public certificates. */
  certificateFile: string;
  /** The key that signs, private part included. */
  signingKey: Record<string, unknown>;
}

/** An OIDC issuer on this machine, with real keys and a certificate of its own. */
export interface LocalIssuer extends IssuerIdentity {
  /** Signs an id_token for a user, good for half a day. */
  idToken(userId: string): Promise<string>;
  /** The port of its last start, where that is another program's by now: no token of before is good. */
  takenPort?: number | undefined;
  /** The issuer's login, to be served elsewhere; `login_hint` says who logs in. */
  serve: RequestListener;
  close(): Promise<void>;
}

export interface IssuerOptions {
  audience: string;
  /** The certificate is written into it. */
  directory: string;
  /** Keeps address and keys for the next start, so that tokens outlive the process. */
  stateFile?: string | undefined;
}

const tokenLifeSeconds = 12 * 60 * 60;
const certificateDays = 365;
const jwks = '/.well-known/jwks.json';

/** Loaded only where an issuer is needed: it takes long to load, and most commands need none. */
const library = () => import('oauth2-mock-server');

/** What makes an issuer the same one again. */
interface IssuerState {
  port: number;
  key: string;
  certificate: string;
  signingKey: Record<string, unknown>;
}

/** Serves the issuer's keys over HTTPS, on the port of the last start if that is free. */
export const startIssuer = async ({
  audience,
  directory,
  stateFile,
}: IssuerOptions): Promise<LocalIssuer> => {
  const lastState = stateFile ? readState(stateFile) : undefined;
  const { key, certificate } = lastState ?? (await newCertificate());
  const certificateFile = join(directory, 'issuer.pem');
  await writeFile(certificateFile, certificate);

  const { OAuth2Issuer } = await library();
  const issuer = new OAuth2Issuer();
  if (lastState) await issuer.keys.add(lastState.signingKey as never);
  else await issuer.keys.generate('RS256');
  const local = await issuerOf(issuer, audience, certificateFile);
  const serve = withOriginCheck(keysOnly(local.serve));
  const listen = (port: number) => listening(createServer({ key, cert: certificate }, serve), port);
  const server = await listen(lastState?.port ?? 0).catch(() => listen(0));
  const { port } = server.address() as AddressInfo;
  issuer.url = `https://localhost:${port}`;
  const { signingKey } = local;
  const takenPort = lastState && lastState.port !== port ? lastState.port : undefined;
  // With the port free again, the next start has it.
  if (stateFile && takenPort === undefined) {
    replaceFile(stateFile, JSON.stringify({ port, key, certificate, signingKey }));
  }
  return {
    ...local,
    url: issuer.url,
    takenPort,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** The key that the last issuer with this file signs with; undefined where there was none. */
export const lastSigningKey = (stateFile: string): IssuerIdentity['signingKey'] | undefined =>
  readState(stateFile)?.signingKey;

/** Stands for an issuer that another process serves, made from what that process tells. Closing it does not end that issuer. */
export const issuerLike = async ({
  url,
  audience,
  certificateFile,
  signingKey,
}: IssuerIdentity): Promise<LocalIssuer> => {
  const { OAuth2Issuer } = await library();
  const issuer = new OAuth2Issuer();
  await issuer.keys.add(signingKey as never);
  issuer.url = url;
  return issuerOf(issuer, audience, certificateFile);
};

const issuerOf = async (
  issuer: OAuth2Issuer,
  audience: string,
  certificateFile: string,
): Promise<LocalIssuer> => {
  const { Events, OAuth2Service } = await library();
  const service = new OAuth2Service(issuer, { jwks });
  logInAsHinted(service, Events);
  return {
    url: issuer.url ?? '',
    audience,
    certificateFile,
    idToken: (userId) =>
      issuer.buildToken({
        expiresIn: tokenLifeSeconds,
        scopesOrTransform: (_header, payload) => {
          Object.assign(payload, { sub: userId, aud: audience, token_use: 'id' });
        },
      }),
    serve: service.requestHandler,
    signingKey: issuer.keys.toJSON(true)[0] ?? {},
    close: async () => {},
  };
};

const newCertificate = async () => {
  const { generate } = await import('selfsigned');
  const { private: key, cert: certificate } = await generate(
    [{ name: 'commonName', value: 'localhost' }],
    {
      keySize: 2048,
      // Whoever connects holds it against the machine's clock.
      notBeforeDate: new Date(machineNow()),
      notAfterDate: new Date(machineNow() + certificateDays * 24 * 60 * 60 * 1000),
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    },
  );
  return { key, certificate };
};

/** The state of the last start; undefined where there is none, or one that can't be used any more. */
const readState = (file: string): IssuerState | undefined => {
  if (!existsSync(file)) return undefined;
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as IssuerState;
    const { validTo } = new X509Certificate(state.certificate);
    return Date.parse(validTo) > machineNow() + tokenLifeSeconds * 1000 ? state : undefined;
  } catch {
    return undefined;
  }
};

const listening = async (server: Server, port: number): Promise<Server> => {
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return server;
};

/** Nobody logs in at the issuer's own address: the login page has another. */
const keysOnly =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url === jwks) return serve(request, response);
    response.writeHead(404).end();
  };

/** A code is for the user whom `login_hint` named when it was asked for. */
const logInAsHinted = (
  service: OAuth2Service,
  { BeforeAuthorizeRedirect, BeforeTokenSigning, BeforeResponse }: typeof Events,
): void => {
  const users = new Map<unknown, string>();
  service.on(BeforeAuthorizeRedirect, ({ url }, request) => {
    const hint = new URL(request.url ?? '', 'http://localhost').searchParams.get('login_hint');
    users.set(url.searchParams.get('code'), hint ?? '');
  });
  service.on(BeforeTokenSigning, ({ payload }, { body }) => {
    payload.sub = users.get(body.code);
  });
  service.on(BeforeResponse, (_response, { body }) => users.delete(body.code));
};
