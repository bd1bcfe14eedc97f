import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { attempt, unwrap } from '../../../admission/settled.ts';
import { ApiError, invalid } from '../../../errors/errors.ts';
import type { Routed } from '../../../operations/definition.ts';
import type { Caller } from '../../../organizations/caller.ts';
import { headerValues, type SentHeaders, singleHeader } from '../headers.ts';
import { assertPlainJson, placeOfFault, refuseAsNoJson } from '../json-text.ts';
import type { Middleware } from '../middleware.ts';
import type { NamedOrganization } from './organization-header.ts';

export interface JsonBody {
  json: {
    /** Gives the body. Throws 400 where parsing would lose anything, and 415 for another media type or coding. */
    read(): unknown;
    /** Whether only `read` parses the body, as it is large. */
    isLarge: boolean;
  };
}

/** A body of more bytes is parsed only once its sender is known to be within the limit of requests. */
const mostBytesAtOnce = 64 * 1024;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Parses the JSON body, unless it is large. What is wrong with it is thrown where it is read: members alone hear it. */
export const jsonBody = (operation: Routed): Middleware<Caller & NamedOrganization, JsonBody> => ({
  before: (request) => {
    const { event, context } = request;
    const parse = () => {
      if (!operation.request.body) return undefined;
      assertJson(event);
      Object.assign(event, { body: textOf(event), isBase64Encoded: false });
      const text = event.body ?? '';
      assertPlainJson(text);
      try {
        parser.before?.(request as never);
      } catch (error) {
        const { cause } = error as { cause?: { message?: string } };
        refuseAsNoJson(text, placeOfFault(text, cause?.message ?? ''));
      }
      return event.body;
    };
    const isLarge = sizeOf(event) > mostBytesAtOnce;
    let parsed = isLarge ? undefined : attempt(parse);
    const read = () => {
      parsed ??= attempt(parse);
      return unwrap(parsed);
    };
    Object.assign(context, { json: { read, isLarge } } satisfies JsonBody);
  },
});

const mediaType = /^application\/([\w.+-]+\+)?json$/i;
/** RFC 8259, 8.1: JSON is UTF-8. A body that claims another character set is refused. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(;|$))/i;

const assertJson = (event: SentHeaders): void => {
  const coding = headerValues(event, 'Content-Encoding');
  if (coding.some((one) => one.toLowerCase() !== 'identity')) {
    const details = [{ path: 'Content-Encoding', message: 'must be absent' }];
    throw new ApiError('unsupported_media_type', { details });
  }
  const value = singleHeader(event, 'Content-Type') ?? '';
  const [type = ''] = value.split(';', 1);
  if (!mediaType.test(type.trimEnd()) || otherCharset.test(value)) {
    throw new ApiError('unsupported_media_type');
  }
};

const sizeOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): number =>
  Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

const textOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): string => {
  if (!isBase64Encoded) return body ?? '';
  try {
    const bytes = Buffer.from(body ?? '', 'base64');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid('', 'must be UTF-8');
  }
};
