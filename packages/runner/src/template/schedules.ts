import { ofType, type Resources } from './intrinsics.ts';

/** A function that the clock starts. */
export interface Schedule {
  ruleLogicalId: string;
  functionLogicalId: string;
  everyMinutes: number;
}

/** Reads every rule of a template that has a schedule: `rate(… minutes)`, to functions, with no input of its own. */
export const readSchedules = (resources: Resources): Schedule[] =>
  ofType(resources, 'AWS::Events::Rule')
    .filter(([, { Properties }]) => Properties.ScheduleExpression !== undefined)
    .flatMap(([ruleLogicalId, { Properties }]) => {
      const minutes = /^rate\((\d+) minutes?\)$/.exec(Properties.ScheduleExpression)?.[1];
      return Properties.Targets.map(
        ({ Arn, Id: _, RetryPolicy: __, ...unknown }: Record<string, never>) => {
          const functionLogicalId = Arn?.['Fn::GetAtt']?.[0];
          const known = minutes && resources[String(functionLogicalId)];
          if (
            known &&
            known.Type === 'AWS::Lambda::Function' &&
            Object.keys(unknown).length === 0
          ) {
            return { ruleLogicalId, functionLogicalId, everyMinutes: Number(minutes) };
          }
          throw new Error(`the runner does not know the schedule ${ruleLogicalId}`);
        },
      );
    });
