import type { GatewayResponse, Preflight } from '../template/api-body.ts';
import type { RestApi } from '../template/rest-api.ts';

/** A response that the template gives to something that the gateway itself refuses. */
export const gatewayResponse = (api: RestApi, type: string, requestId: string) => {
  const fallback = type.startsWith('INTEGRATION') ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const response = api.gatewayResponses.get(type) ?? api.gatewayResponses.get(fallback);
  if (!response) throw new Error(`the template has no gateway response for ${type}`);
  return filledResponse(response, requestId);
};

/** A response of the template, with the request's id in it. */
export const filledResponse = (response: GatewayResponse, requestId: string) => {
  const value = (text: string) => (text === 'context.requestId' ? requestId : text);
  return {
    statusCode: response.statusCode,
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(Object.entries(response.headers).map(([k, v]) => [k, value(v)])),
    },
    body: response.template.replace('$context.requestId', requestId),
  };
};

/**
 * The bytes that answer what never becomes a request: it is not HTTP, or has more headers than the gateway takes. The
 * connection ends with them.
 */
export const responseToUnreadable = (api: RestApi, requestId: string): string => {
  const { statusCode, headers, body } = gatewayResponse(api, 'DEFAULT_4XX', requestId);
  const length = Buffer.byteLength(body);
  const lines = Object.entries({ ...headers, 'content-length': length, connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${statusCode} Bad Request\r\n${head}\r\n${body}`;
};

/** The headers of the answer to a browser that asks for a page of this origin. */
export const preflightHeaders = (
  { headers, moreOrigins }: Preflight,
  origin: string | undefined,
): Record<string, string> => ({
  ...headers,
  ...(origin && moreOrigins.includes(origin) && { 'Access-Control-Allow-Origin': origin }),
});
