import type { TemplateResource } from './intrinsics.ts';

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

/** Of EventBridge’s patterns, those that the runner knows. */
export type Pattern = { [key: string]: Pattern | Condition[] };
type Condition = string | { prefix: string };

export const toPipe = ({ Properties }: TemplateResource): Pipe => {
  const { FilterCriteria, DynamoDBStreamParameters } = Properties.SourceParameters;
  const { Source, DetailType } = Properties.TargetParameters.EventBridgeEventBusParameters;
  return {
    patterns: FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
      assertKnown(JSON.parse(Pattern)),
    ),
    batchSize: DynamoDBStreamParameters.BatchSize,
    enrichmentLogicalId: Properties.Enrichment['Fn::GetAtt'][0],
    source: Source,
    detailType: DetailType,
  };
};

/** Refuses others when the template is read. */
const assertKnown = (pattern: Pattern): Pattern => {
  for (const inner of Object.values(pattern)) {
    if (!Array.isArray(inner)) assertKnown(inner);
    else if (!inner.every((one) => typeof one === 'string' || Object.keys(one).join() === 'prefix'))
      throw new Error(`the runner does not know the pattern ${JSON.stringify(inner)}`);
  }
  return pattern;
};
