import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role that holds its permissions itself. The CDK's own role keeps them in a policy beside it. That is a second
 * resource for each function, and a stack can have 500.
 */
export class SelfContainedRole extends Role {
  readonly #permissions: PolicyDocument;

  constructor(scope: Construct, id: string, props: Pick<RoleProps, 'assumedBy'>) {
    const permissions = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Permissions: permissions } });
    this.#permissions = permissions;
  }

  /** The CDK calls this for what it grants to the role, too. */
  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
