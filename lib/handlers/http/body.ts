import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError, invalid } from '../../errors/errors.ts';
import type { HttpRequest } from './chain.ts';
import { type Headers, singleHeader } from './headers.ts';
import { assertPlainJson, refuseAsNoJson } from './json-text.ts';

const mediaType = /^application\/([\w.+-]+\+)?json$/i;
/** RFC 8259, 8.1: JSON is UTF-8. A body that claims another character set is refused. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(;|$))/i;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** A body of more bytes is parsed only once its sender is known to be within the limit of requests. */
const mostBytesAtOnce = 64 * 1024;

/** Whether a body is to wait for the verdict of the request limit. */
export const isLarge = ({ body, isBase64Encoded }: HttpRequest['event']): boolean =>
  Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8') > mostBytesAtOnce;

/**
 * Parses a JSON body. Throws 400 where that would lose anything, and 415 for another media type or coding. The parser is
 * no step of the chain, because what it refuses is told to members only.
 */
export const readJson = (headers: Headers, event: HttpRequest['event']): unknown => {
  assertJson(headers);
  const body = textOf(event);
  assertPlainJson(body);
  const request = { event: { ...event, body, isBase64Encoded: false } };
  try {
    parser.before?.(request as never);
  } catch {
    refuseAsNoJson();
  }
  return request.event.body;
};

const assertJson = (headers: Headers): void => {
  const coding = headers.get('content-encoding') ?? [];
  if (coding.some((one) => one.toLowerCase() !== 'identity')) {
    const details = [{ path: 'Content-Encoding', message: 'must be absent' }];
    throw new ApiError('unsupported_media_type', { details });
  }
  const value = singleHeader(headers, 'Content-Type') ?? '';
  const [type = ''] = value.split(';', 1);
  if (!mediaType.test(type.trimEnd()) || otherCharset.test(value)) {
    throw new ApiError('unsupported_media_type');
  }
};

const textOf = ({ body, isBase64Encoded }: HttpRequest['event']): string => {
  if (!isBase64Encoded) return body ?? '';
  try {
    const bytes = Buffer.from(body ?? '', 'base64');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid('', 'must be UTF-8');
  }
};
