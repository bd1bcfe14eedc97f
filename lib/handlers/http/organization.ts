import { validate } from 'uuid';
import { invalid } from '../../errors/errors.ts';
import type { Step } from './chain.ts';
import type { RequestContext } from './envelope.ts';
import { singleHeader } from './headers.ts';

const header = 'X-Organization-Id';

export interface OrganizationContext {
  organizationId: string;
}

/** Learns which organization the request is about. Throws `invalid_request`. */
export const organization: Step<RequestContext, OrganizationContext> = ({ headers }) => {
  const value = singleHeader(headers, header);
  if (value === undefined) throw invalid(header, 'is required');
  if (!validate(value)) throw invalid(header, 'must be a UUID');
  return { organizationId: value.toLowerCase() };
};
