import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role that holds its permissions itself. The CDK's own role keeps them in a policy beside it: a second
 * resource for each function, of the 500 that a stack can have.
 */
export class SelfContainedRole extends Role {
  readonly #permissions: PolicyDocument;

  constructor(scope: Construct, id: string, props: Pick<RoleProps, 'assumedBy'>) {
    const permissions = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { Permissions: permissions } });
    this.#permissions = permissions;
  }

  /** Where the CDK puts what is granted to the role, too. */
  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
