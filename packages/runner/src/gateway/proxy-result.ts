import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Invocation } from '../lambda/runtime-process.ts';
import { headersForClient } from './headers.ts';

/** The function's answer; undefined where it failed or is not of the form that a REST API takes. */
export const proxyResult = (outcome: Invocation): APIGatewayProxyResult | undefined => {
  if (outcome.kind === 'error') return undefined;
  const result = JSON.parse(outcome.payload ?? 'null');
  const valid =
    Number.isInteger(result?.statusCode) && ['string', 'undefined'].includes(typeof result.body);
  return valid ? result : undefined;
};

/** Why there is no result of a function. */
export const whyNone = (outcome: Invocation): string =>
  outcome.kind === 'error'
    ? `${outcome.errorType}: ${outcome.errorMessage}`
    : 'The function’s answer is not one that API Gateway takes.';

/** The headers that the client gets. Throws for a header that can't be sent, before the response begins. */
export const headersOf = (result: APIGatewayProxyResult): Record<string, string | string[]> => {
  const headers = headersForClient({ ...result.headers, ...result.multiValueHeaders });
  for (const [name, values] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const value of [values].flat()) validateHeaderValue(name, String(value));
  }
  return headers as Record<string, string | string[]>;
};

/** The body as bytes: to a string, the server would add a charset that the function did not name. */
export const bodyOf = ({ body = '', isBase64Encoded }: APIGatewayProxyResult) =>
  Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
