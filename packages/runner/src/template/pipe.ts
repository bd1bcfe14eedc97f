import type { TemplateResource } from './intrinsics.ts';
import { type Pattern, readPatterns } from './patterns.ts';

/** What a pipe of the template does with the table's stream. */
export interface Pipe {
  /** A record passes if one of them matches. */
  patterns: Pattern[];
  batchSize: number;
  enrichmentLogicalId: string;
  source: string;
  /** A path into the enriched event, such as `$.type`. */
  detailType: string;
}

export const toPipe = ({ Properties }: TemplateResource): Pipe => {
  const { FilterCriteria, DynamoDBStreamParameters } = Properties.SourceParameters;
  const { Source, DetailType } = Properties.TargetParameters.EventBridgeEventBusParameters;
  return {
    patterns: readPatterns(FilterCriteria),
    batchSize: DynamoDBStreamParameters.BatchSize,
    enrichmentLogicalId: Properties.Enrichment['Fn::GetAtt'][0],
    source: Source,
    detailType: DetailType,
  };
};
