import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError, invalid } from '../../operations/errors.ts';
import type { HttpRequest } from './chain.ts';
import { type Headers, singleHeader } from './headers.ts';
import { problemIn } from './json-text.ts';

/** RFC 8259, 8.1: JSON is UTF-8. A body that claims another character set is refused. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(;|$))/i;

/** Parses a JSON body. Throws 400 where that would lose anything, and 415 for another media type or coding. */
export const readJson = (headers: Headers, event: HttpRequest['event']): unknown => {
  // The parser knows the header in two spellings only.
  const request = {
    event: { headers: { 'content-type': contentType(headers) }, body: textOf(event) as unknown },
  };
  return parsed(
    request.event.body as string,
    () => parser.before?.(request as never),
    request.event,
  );
};

const parser = httpJsonBodyParser();

/** Parses the text. Refuses what the parser would take in a way that the client may not mean. */
const parsed = (text: string, parse: () => void, event: { body: unknown }): unknown => {
  const problem = problemIn(text);
  if (problem?.endsParsing) throw invalid(problem.path, problem.message);
  parse();
  if (problem) throw invalid(problem.path, problem.message);
  return event.body;
};

const contentType = (headers: Headers): string => {
  const coding = headers.get('content-encoding') ?? [];
  if (coding.some((one) => one.toLowerCase() !== 'identity')) {
    const details = [{ path: 'Content-Encoding', message: 'must be absent' }];
    throw new ApiError('unsupported_media_type', { details });
  }
  const value = singleHeader(headers, 'Content-Type') ?? '';
  if (otherCharset.test(value)) throw new ApiError('unsupported_media_type');
  // The parser knows no blank before the first parameter (RFC 9110, 5.6.6).
  const [type = '', ...parameters] = value.split(';');
  return [type.trimEnd(), ...parameters].join(';');
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
