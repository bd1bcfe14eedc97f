import type { Role } from '../../lib/operations/permissions.ts';

/** What a client needs to act in an organization of the demo. */
export interface DemoOrganization {
  organization_id: string;
  pipeline_id: string;
  users: Record<Role, string>;
  tokens: Record<Role, string>;
}
