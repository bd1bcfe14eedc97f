import type { Redirect } from './errors.ts';

/** The redirect that a response is, or came by; undefined where it may be the API's. */
export const redirectOf = ({ url }: Request, response: Response): Redirect | undefined => {
  if (response.type === 'opaqueredirect' || isRedirect(response.status)) {
    return { response, location: targetOf(url, response.headers), isFollowed: false };
  }
  if (!isFromElsewhere(url, response)) return undefined;
  return { response, location: response.url || undefined, isFollowed: true };
};

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** The caller's own `fetch` may follow redirects. A `fetch` that makes responses by itself may give them no address. */
const isFromElsewhere = (url: string, response: Response): boolean =>
  response.redirected || (!!response.url && withoutHash(response.url) !== withoutHash(url));

const withoutHash = (url: string): string => url.replace(/#.*$/, '');

/** The whole address of the header `Location`, which a browser does not show. */
const targetOf = (url: string, headers: Headers): string | undefined => {
  const location = headers.get('location');
  return location !== null && URL.canParse(location, url)
    ? new URL(location, url).href
    : (location ?? undefined);
};
