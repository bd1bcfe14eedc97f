import { CliError } from '@leads-and-stars/runner';
import { fetchApi } from '../cli/fetch-api.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
export type ApiCall = (method: string, path: string, body?: object) => Promise<any>;

/** Calls the API in an organization. What it refuses is told with the service's own words. */
export const apiOf =
  (baseUrl: string, organizationId: string, token: string): ApiCall =>
  async (method, path, body) => {
    const response = await fetchApi(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-organization-id': organizationId,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer;
    const { code, message, details = [] } = answer.error;
    const fields = details.map(
      (one: { path: string; message: string }) => `${one.path} ${one.message}`,
    );
    throw new CliError([`${code}: ${message}`, ...fields].join('\n'));
  };
