import type { Role } from '../../lib/operations/permissions.ts';

/** All that a client needs for the demo. */
export interface Demo {
  organizations: DemoOrganization[];
  /** Acts in all organizations, and makes more. */
  platform_key: string;
}

/** The ids, names and tokens that a client needs to act in an organization of the demo. */
export interface DemoOrganization {
  organization_id: string;
  name: string;
  pipeline_id: string;
  users: Record<Role, string>;
  /** The names of the users. */
  user_names: Record<Role, string>;
  tokens: Record<Role, string>;
}
