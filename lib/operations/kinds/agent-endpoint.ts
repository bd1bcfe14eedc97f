import type { Grant } from '../../table/grants.ts';
import type { Route } from '../route.ts';
import type { AnyOperation } from './operation.ts';

/** Where agents call tools, which run operations. Its function may do what these may. */
export interface AgentEndpoint extends Route {
  kind: 'agent';
  scope?: 'organization';
  /** Each tool asks for its own. */
  permission?: undefined;
  idempotent?: undefined;
  /** All that its tools run. */
  operations: readonly AnyOperation[];
  table: readonly Grant[];
}
