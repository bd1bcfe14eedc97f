import type { TemplateResource } from './intrinsics.ts';

/** One item of a stream, as DynamoDB gives it and a pipe passes it on. */
export interface StreamRecord {
  eventName: string;
  dynamodb: { SequenceNumber: string; Keys: object; NewImage?: object };
}

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

type Pattern = { [key: string]: Pattern | Condition[] };
type Condition = string | { prefix: string };

/** An event, as a rule on the bus sees it. */
export interface BusEvent {
  source: string;
  'detail-type': string;
  detail: Record<string, unknown>;
}

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

/** Refuses what `matches` would not understand, when the template is read. */
const assertKnown = (pattern: Pattern): Pattern => {
  for (const inner of Object.values(pattern)) {
    if (!Array.isArray(inner)) assertKnown(inner);
    else if (!inner.every((one) => typeof one === 'string' || Object.keys(one).join() === 'prefix'))
      throw new Error(`the runner does not know the pattern ${JSON.stringify(inner)}`);
  }
  return pattern;
};

const matches = (pattern: Pattern, value: unknown): boolean =>
  Object.entries(pattern).every(([key, inner]) => {
    const at = (value as Record<string, unknown> | undefined)?.[key];
    if (!Array.isArray(inner)) return matches(inner, at);
    return inner.some((one) =>
      typeof one === 'string' ? at === one : typeof at === 'string' && at.startsWith(one.prefix),
    );
  });

export const passes = ({ patterns }: Pipe, record: StreamRecord): boolean =>
  patterns.some((pattern) => matches(pattern, record));

/** What the pipe gives to the bus for one enriched event. */
export const toBusEvent = (pipe: Pipe, detail: Record<string, unknown>): BusEvent => {
  const value = (of: string) => (of.startsWith('$.') ? String(detail[of.slice(2)]) : of);
  return { source: value(pipe.source), 'detail-type': value(pipe.detailType), detail };
};
