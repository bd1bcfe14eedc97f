import type { MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError, invalid } from '../errors.ts';
import { type ChainRequest, singleHeader } from './exchange.ts';

/** RFC 8259, 8.1: JSON is UTF-8, so a body that says otherwise is not taken for it. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(;|$))/i;
/** Only numbers with so many digits, a fraction or an exponent can lose anything. */
const mayBeInexact = /\d{16}|\d[.eE]/;

/** Parses a JSON body, without loss or 400 (415 for another media type). */
export const jsonBody = (): MiddlewareObj[] => [
  { before: (request) => decodeText(request as ChainRequest) },
  httpJsonBodyParser() as MiddlewareObj,
];

const decodeText = ({ event, context }: ChainRequest): void => {
  const contentType = singleHeader(context.exchange, 'Content-Type') ?? '';
  if (otherCharset.test(contentType)) throw new ApiError('unsupported_media_type');
  // The parser knows the header in two spellings only.
  event.headers = { 'content-type': contentType };
  const body = event.body ?? '';
  event.body = event.isBase64Encoded ? decodeUtf8(Buffer.from(body, 'base64')) : body;
  event.isBase64Encoded = false;
  if (mayBeInexact.test(event.body)) assertExactNumbers(event.body);
};

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid('', 'must be UTF-8');
  }
};

/** Refuses numbers that would be rounded, as 9007199254740991.4 is to an integer. */
const assertExactNumbers = (text: string): void => {
  let inexact = false;
  try {
    JSON.parse(text, (_key, value, context?: { source: string }) => {
      if (typeof value === 'number' && context && !isExact(context.source, value)) inexact = true;
      return value;
    });
  } catch (error) {
    if (error instanceof SyntaxError) return; // The parser says what is wrong.
    throw invalid('', 'is nested too deeply');
  }
  if (inexact) throw invalid('', 'has a number with more digits than can be kept');
};

/** Whether an integer is written with just the digits that it has; fractions never are integers. */
const isExact = (source: string, value: number): boolean => {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  const [, digits = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const shift = Number(exponent) - fraction.length;
  const written = digits + fraction;
  const significant = written.replace(/0+$/, '');
  const zeros = shift + written.length - significant.length;
  if (significant === '') return true;
  if (zeros < 0 || zeros > 20) return false;
  return BigInt(significant + '0'.repeat(zeros)) === BigInt(Math.abs(value));
};
