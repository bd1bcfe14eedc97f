import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Definition } from '../lib/operations/definition.ts';

type OperationKind = Definition['kind'];

/**
 * One log group for each kind of function: a group for each function would be a fifth of a stack's 500 resources, and a
 * query takes 50 by name. A line names its operation, and its log stream the function:
 * `YYYY/MM/DD/<function>[<version>]<environment>`.
 */
export class FunctionLogs extends Construct {
  readonly #groups = new Map<OperationKind, LogGroup>();

  /** The group of a kind. It is made when it is first asked for. What agents call logs as all requests do. */
  of(kind: OperationKind): LogGroup {
    if (kind === 'agent') return this.of('routed');
    const group = this.#groups.get(kind) ?? this.#make(kind);
    this.#groups.set(kind, group);
    return group;
  }

  get all(): LogGroup[] {
    return [...this.#groups.values()];
  }

  #make(kind: OperationKind): LogGroup {
    return new LogGroup(this, kind, {
      logGroupName: `${Stack.of(this).stackName}/${kind}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }
}
