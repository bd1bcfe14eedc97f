import * as z from 'zod/mini';

/** The parts of an id_token that this service needs. Names and values are the token's own. */
export interface IdToken {
  kid: string;
  alg: Algorithm;
  sub: string;
}

/** The issuer whose id_tokens are taken, and the client that they must be for. */
export interface Expected {
  issuer: string;
  audience: string;
}

/** The algorithms that are taken, each with the type and curve of its keys (RFC 7518, 3.1). */
export const algorithms = {
  RS256: { kty: 'RSA', crv: undefined },
  RS384: { kty: 'RSA', crv: undefined },
  RS512: { kty: 'RSA', crv: undefined },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
} as const;
export type Algorithm = keyof typeof algorithms;

/** API Gateway takes headers of this many bytes at most. */
const longestToken = 10_240;
/** OpenID Connect Core, 2: `sub` has this many ASCII characters at most. */
const longestSubject = 255;
/** Clocks of issuer and service may differ by this many seconds. */
export const clockSkewSeconds = 5;
/** An id_token may live for this many seconds at most. */
const longestLifeSeconds = 24 * 60 * 60;

/**
 * Reads a token whose signature is not yet checked. Throws if anything in it shows that it is not an id_token for us.
 * This comes first, because the library after it keeps what an unsigned token names.
 */
export const readIdToken = (token: string, { issuer, audience }: Expected): IdToken => {
  const [header, payload] = decode(token);
  assert(isAlgorithm(header.alg), 'alg must be of the RS256 or ES256 family', header.alg);
  assert(isText(header.kid), 'kid must be a text', header.kid);
  assert(isAbsentOr(header.typ, 'JWT'), 'typ must be JWT or absent', header.typ);
  // RFC 7515, 4.1.11: an extension that is not understood must be refused, and none is.
  assert(!('crit' in header), 'crit must be absent', header.crit);

  assert(payload.iss === issuer, `iss must be ${issuer}`, payload.iss);
  assertAudience(payload, audience);
  assertKind(payload);
  assertTimes(payload);
  assert(isSubject(payload.sub), 'sub must be 1 to 255 printable characters', payload.sub);
  return { kid: header.kid, alg: header.alg, sub: payload.sub };
};

const claims = z.record(z.string(), z.unknown());
type Claims = z.output<typeof claims>;

/** OpenID Connect Core, 3.1.3.7: the token is for us and nobody else, and we asked for it. */
const assertAudience = ({ aud, azp }: Claims, audience: string): void => {
  const all = Array.isArray(aud) ? aud : [aud];
  assert(all.length === 1 && all[0] === audience, `aud must be ${audience} alone`, aud);
  assert(azp === undefined || azp === audience, `azp must be ${audience} or absent`, azp);
};

/** Issuers sign other tokens with the same key, and for the same client. */
const assertKind = ({ token_use, typ, events, cnf }: Claims): void => {
  // Cognito sets this.
  assert(isAbsentOr(token_use, 'id'), 'token_use must be id or absent', token_use);
  // Keycloak sets this; others repeat the header's.
  assert(isAbsentOr(typ, 'ID', 'JWT'), 'typ must be ID, JWT or absent', typ);
  // OpenID Connect Back-Channel Logout, 2.4: only logout tokens have it.
  assert(events === undefined, 'events must be absent', events);
  // RFC 7800: such a token needs a proof that nobody here asks for.
  assert(cnf === undefined, 'cnf must be absent', cnf);
};

/** The library checks that `exp` is still to come and `nbf` is over. */
const assertTimes = ({ exp, iat }: Claims): void => {
  const latest = Date.now() / 1000 + clockSkewSeconds;
  assert(isNumber(exp), 'exp must be a number', exp);
  assert(exp <= latest + longestLifeSeconds, 'exp must be at most a day away', exp);
  if (iat !== undefined) assert(isNumber(iat) && iat <= latest, 'iat must be in the past', iat);
};

export const isAlgorithm = (value: unknown): value is Algorithm =>
  typeof value === 'string' && Object.hasOwn(algorithms, value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Whether a value is absent or allowed, in any case of letters. */
const isAbsentOr = (value: unknown, ...allowed: string[]): boolean =>
  value === undefined ||
  allowed.some((one) => typeof value === 'string' && value.toLowerCase() === one.toLowerCase());

const isSubject = (value: unknown): value is string =>
  isText(value) && value.length <= longestSubject && !/[\p{Cc}\p{Cs}]/u.test(value);

const decode = (token: string): [header: Claims, payload: Claims] => {
  assert(token.length <= longestToken, `the token must have at most ${longestToken} characters`);
  const parts = token.split('.');
  assert(parts.length === 3, 'the token must have three parts', parts.length);
  const [header, payload] = parts.map(bytesOf);
  return [objectOf(header!), objectOf(payload!)];
};

/** RFC 7515, 2: base64url without padding. Other spellings of the same bytes are refused. */
const bytesOf = (part: string): Buffer => {
  const bytes = Buffer.from(part, 'base64url');
  assert(bytes.toString('base64url') === part, 'each part must be canonical base64url');
  return bytes;
};

const objectOf = (bytes: Buffer): Claims => {
  const { data } = claims.safeParse(
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
  );
  assert(data !== undefined, 'must be an object');
  return data;
};

function assert(condition: boolean, expected: string, actual?: unknown): asserts condition {
  if (!condition) throw new Error(`${expected}, but is ${JSON.stringify(actual)}`);
}
