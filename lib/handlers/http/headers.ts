import type { APIGatewayProxyEvent } from 'aws-lambda';
import { invalid } from '../../errors/errors.ts';

export type SentHeaders = Pick<APIGatewayProxyEvent, 'multiValueHeaders'>;

/** Every value of a header that was sent. A header in two spellings counts as sent twice. */
export const headerValues = ({ multiValueHeaders }: SentHeaders, name: string): string[] => {
  const wanted = name.toLowerCase();
  return Object.entries(multiValueHeaders ?? {}).flatMap(([key, values = []]) =>
    key.toLowerCase() === wanted ? values : [],
  );
};

/** The one value of a header. Throws `invalid_request` when it was sent more than once. */
export const singleHeader = (event: SentHeaders, name: string): string | undefined => {
  const values = headerValues(event, name);
  if (values.length > 1) throw invalid(name, 'must be sent once');
  return values[0];
};
