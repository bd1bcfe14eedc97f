import { CliError } from '@leads-and-stars/runner';

/**
 * Sends a request to the API, which never redirects: a redirect is not followed, and rejects with a `CliError` that names
 * both addresses.
 */
export const fetchApi = async (url: string, request: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, { ...request, redirect: 'manual' });
  const { status, headers } = response;
  if (status < 300 || status >= 400) return response;
  await response.body?.cancel();
  const location = headers.get('location') ?? 'another address';
  const target =
    headers.has('location') && URL.canParse(location, url) ? new URL(location, url).href : location;
  throw new CliError(
    `${request.method ?? 'GET'} ${url} was redirected to ${target}. The API never redirects: see whether the base URL is right. Nothing was carried out.`,
  );
};
