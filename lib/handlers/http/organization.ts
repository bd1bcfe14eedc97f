import { validate } from 'uuid';
import { invalid } from '../../operations/errors.ts';
import type { TableClient } from '../../table/client.ts';
import { limitOf } from '../deadline.ts';
import type { Step } from './chain.ts';
import type { Received } from './envelope.ts';
import { singleHeader } from './headers.ts';

const header = 'X-Organization-Id';

export interface InOrganization {
  organizationId: string;
  /** The table for this request. Its calls end when the request has to be answered. */
  table: TableClient;
}

/** Learns which organization the request is about. Throws `invalid_request`. */
export const organization = (open: () => TableClient): Step<Received, InOrganization> => ({
  before: ({ headers }, { context }) => {
    const value = singleHeader(headers, header);
    if (value === undefined) throw invalid(header, 'is required');
    if (!validate(value)) throw invalid(header, 'must be a UUID');
    return { organizationId: value.toLowerCase(), table: open().during(limitOf(context)) };
  },
});
