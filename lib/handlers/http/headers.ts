import { invalid } from '../../errors/errors.ts';

/** A request's headers: names in lower case, every value that was sent. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/** A header that was sent in two spellings counts as sent twice. */
export const toHeaders = (
  multiValueHeaders: Record<string, string[] | undefined> | null | undefined,
): Headers => {
  const headers = new Map<string, string[]>();
  for (const [name, values = []] of Object.entries(multiValueHeaders ?? {})) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), ...values]);
  }
  return headers;
};

/** The one value of a header. Throws `invalid_request` when it was sent more than once. */
export const singleHeader = (headers: Headers, name: string): string | undefined => {
  const values = headers.get(name.toLowerCase()) ?? [];
  if (values.length > 1) throw invalid(name, 'must be sent once');
  return values[0];
};
