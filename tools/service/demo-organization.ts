import type { Role } from '../../lib/operations/permissions.ts';

/** All that a client needs for the demo. */
export interface Demo {
  organizations: DemoOrganization[];
  /** Acts in all organizations, and makes more. */
  platform_key: string;
}

/** What a client needs to act in an organization of the demo. */
export interface DemoOrganization {
  organization_id: string;
  name: string;
  pipeline_id: string;
  users: Record<Role, string>;
  /** What the users are called. */
  user_names: Record<Role, string>;
  tokens: Record<Role, string>;
}
