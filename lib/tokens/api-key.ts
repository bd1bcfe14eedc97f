import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ApiKeyKind, PresentedKey } from '../operations/presented-key.ts';

const prefixes = { organization: 'lsk', platform: 'lsp' } as const satisfies Record<
  ApiKeyKind,
  string
>;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Characters of 128 bits, of 256 bits and of 32 bits in base62. */
const [idLength, secretLength, checkLength] = [22, 43, 6];
const [idBytes, secretBytes] = [16, 32];

const pattern = new RegExp(
  `^(lsk|lsp)_([^_\\W]{${idLength}})_([^_\\W]{${secretLength}})_([^_\\W]{${checkLength}})$`,
);

// docs/decisions/api-keys.md
/** An API key with a new secret of 256 bits. `text` is for its user only; the table keeps the digest. */
export const newApiKey = (kind: ApiKeyKind, id: string): { text: string; digest: string } => {
  const idText = toBase62(Buffer.from(id.replaceAll('-', ''), 'hex'), idLength);
  const secret = toBase62(randomBytes(secretBytes), secretLength);
  const body = `${prefixes[kind]}_${idText}_${secret}`;
  return { text: `${body}_${checkOf(body)}`, digest: digestOf(secret) };
};

/** Whether a credential is meant as an API key, and not as a token. */
export const isMeantAsApiKey = (credential: string): boolean => /^ls[kp]_/.test(credential);

/**
 * The key in a text; undefined for what is none: of another length, with another character, or with a check that does
 * not fit. So junk costs no read.
 */
export const parseApiKey = (text: string): PresentedKey | undefined => {
  const [, prefix, idText = '', secret = '', check] = pattern.exec(text) ?? [];
  if (!prefix || check !== checkOf(text.slice(0, -checkLength - 1))) return undefined;
  const id = fromBase62(idText, idBytes);
  if (!id || !fromBase62(secret, secretBytes)) return undefined;
  const kind = prefix === prefixes.platform ? 'platform' : 'organization';
  return { kind, id: toUuid(id), digest: digestOf(secret) };
};

/** Compares in constant time. */
export const isSameDigest = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const digestOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url');

const checkOf = (body: string): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return toBase62(bytes, checkLength);
};

const toBase62 = (bytes: Uint8Array, length: number): string => {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 62n) text = digits[Number(value % 62n)] + text;
  return text.padStart(length, '0');
};

/** The bytes of a base62 text, `length` of them. Undefined for a text of more. */
const fromBase62 = (text: string, length: number): Uint8Array | undefined => {
  let value = 0n;
  for (const digit of text) value = value * 62n + BigInt(digits.indexOf(digit));
  const hex = value.toString(16).padStart(length * 2, '0');
  return hex.length > length * 2 ? undefined : Buffer.from(hex, 'hex');
};

/** A UUID of any version and variant: `stringify` of `uuid` refuses some. */
const toUuid = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
