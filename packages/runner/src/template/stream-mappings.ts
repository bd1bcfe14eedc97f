import { ofType, type Resources } from './intrinsics.ts';
import { type Pattern, readPatterns } from './patterns.ts';

/** A function that is given the records of the table's stream. */
export interface StreamMapping {
  functionLogicalId: string;
  /** A record passes if one of them matches. */
  patterns: Pattern[];
  batchSize: number;
  /** Whether the function says which records of a batch failed. */
  partialResponses: boolean;
  /** Records that fail are given again until they are older than this. */
  mostAgeSeconds: number;
}

/** Reads every event source mapping of a template that reads a stream: those alone say where to begin. */
export const streamMappings = (resources: Resources): StreamMapping[] =>
  ofType(resources, 'AWS::Lambda::EventSourceMapping')
    .filter(([, { Properties }]) => Properties.StartingPosition !== undefined)
    .map(([id, { Properties }]) => {
      const { StartingPosition, FilterCriteria, MaximumRetryAttempts = -1 } = Properties;
      if (StartingPosition !== 'TRIM_HORIZON' || !FilterCriteria || MaximumRetryAttempts !== -1) {
        throw new Error(`the runner does not know the settings of the mapping ${id}`);
      }
      const age: number = Properties.MaximumRecordAgeInSeconds ?? -1;
      return {
        functionLogicalId: Properties.FunctionName.Ref as string,
        patterns: readPatterns(FilterCriteria),
        batchSize: Properties.BatchSize ?? 100,
        partialResponses: (Properties.FunctionResponseTypes ?? []).includes(
          'ReportBatchItemFailures',
        ),
        mostAgeSeconds: age < 0 ? Number.POSITIVE_INFINITY : age,
      };
    });
