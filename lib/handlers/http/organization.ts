import { validate } from 'uuid';
import { invalid } from '../../errors/errors.ts';
import type { Step } from './chain.ts';
import type { RequestContext } from './envelope.ts';
import { type Headers, singleHeader } from './headers.ts';

const header = 'X-Organization-Id';

export interface OrganizationContext {
  organizationId: string;
}

/** Learns which organization the request is about. Throws `invalid_request`. */
export const organization: Step<RequestContext, OrganizationContext> = ({ headers }) => ({
  organizationId: readOrganizationId(headers) ?? refuseWithout(),
});

/** What the header names; undefined without one. Throws `invalid_request`. */
export const readOrganizationId = (headers: Headers): string | undefined => {
  const value = singleHeader(headers, header);
  if (value !== undefined && !validate(value)) throw invalid(header, 'must be a UUID');
  return value?.toLowerCase();
};

export const refuseWithout = (): never => {
  throw invalid(header, 'is required');
};
