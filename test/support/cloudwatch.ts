import type { Template } from 'aws-cdk-lib/assertions';
import { matches } from './filter-pattern.ts';
import { evaluate, type Series } from './metric-math.ts';

// biome-ignore lint/suspicious/noExplicitAny: properties of every shape.
type Part = any;

/** A line that functions or API Gateway write so often in a minute, by the end of its log group's name. */
export interface Lines {
  group: string;
  line: object;
  count: number;
}

/** What is measured in a minute, by the names of metrics, or by those with a part of what they are of: `Invocations wakeDue`. */
export interface Minute {
  metrics: Record<string, number>;
  lines: readonly Lines[];
}

/** Which alarms went off in the time, and how often each did: one that ends and begins anew rings twice. */
export interface Rung {
  wakes: Record<string, number>;
  tells: Record<string, number>;
}

/** How CloudWatch makes a value of a period from those of its minutes. */
const statistics: Record<string, (values: number[]) => number> = {
  Sum: (values) => values.reduce((sum, one) => sum + one, 0),
  SampleCount: (values) => values.reduce((sum, one) => sum + one, 0),
  Maximum: (values) => Math.max(...values),
};

/** The alarms of a stack, as CloudWatch evaluates them on what is measured and logged each minute. */
export class CloudWatch {
  readonly #alarms: Part[];
  readonly #filters: { group: string; pattern: string; metric: string }[];
  readonly #wakes: unknown;

  constructor(template: Template) {
    const of = (type: string) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties);
    const groups = template.findResources('AWS::Logs::LogGroup');
    this.#alarms = of('AWS::CloudWatch::Alarm');
    this.#filters = of('AWS::Logs::MetricFilter').map((filter) => ({
      // Only API Gateway's has a name that CloudFormation makes.
      group: groups[filter.LogGroupName.Ref]!.Properties.LogGroupName ?? '/access',
      pattern: filter.FilterPattern,
      metric: filter.MetricTransformations[0].MetricName,
    }));
    this.#wakes = template.findOutputs('AlarmTopic').AlarmTopic!.Value;
  }

  /** What rings while this is measured, minute after minute. Periods begin with the first minute. */
  ring(minutes: readonly Minute[]): Rung {
    const measured = minutes.map(({ metrics, lines }) => ({ ...metrics, ...this.#count(lines) }));
    const rung: Rung = { wakes: {}, tells: {} };
    for (const alarm of this.#alarms) {
      const times = timesOf(alarm, measured);
      const urgency = deepEqual(alarm.AlarmActions[0], this.#wakes) ? 'wakes' : 'tells';
      const name = alarm.AlarmName.replace(/^[^-]+-/, '');
      if (times > 0) rung[urgency][name] = times;
    }
    return rung;
  }

  #count(lines: readonly Lines[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { group, pattern, metric } of this.#filters) {
      for (const one of lines) {
        if (!group.endsWith(`/${one.group}`) || !matches(pattern, one.line)) continue;
        counts[metric] = (counts[metric] ?? 0) + one.count;
      }
    }
    return counts;
  }
}

const deepEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** How often an alarm goes off: so many of the last periods are at its threshold. A missing value is none. */
const timesOf = (alarm: Part, measured: readonly Record<string, number>[]): number => {
  const { Threshold, EvaluationPeriods, DatapointsToAlarm, ComparisonOperator } = alarm;
  if (ComparisonOperator !== 'GreaterThanOrEqualToThreshold') throw new Error(ComparisonOperator);
  const isHigh = valuesOf(alarm, measured).map((value) => (value ?? -Infinity) >= Threshold);
  const isOn = isHigh.map((_, i) => {
    const last = isHigh.slice(Math.max(0, i + 1 - EvaluationPeriods), i + 1);
    return last.filter(Boolean).length >= (DatapointsToAlarm ?? EvaluationPeriods);
  });
  return isOn.filter((on, i) => on && !isOn[i - 1]).length;
};

const valuesOf = (alarm: Part, measured: readonly Record<string, number>[]): Series => {
  if (!alarm.Metrics) return seriesOf(alarm, alarm, measured);
  const read = alarm.Metrics.filter(({ MetricStat }: Part) => MetricStat);
  const [{ Expression }] = alarm.Metrics.filter((one: Part) => one.Expression);
  const series: Record<string, Series> = Object.fromEntries(
    read.map(({ Id, MetricStat }: Part) => [
      Id,
      seriesOf(MetricStat.Metric, { ...MetricStat, Statistic: MetricStat.Stat }, measured),
    ]),
  );
  return evaluate(Expression, series, Object.values(series)[0]!.length);
};

const seriesOf = (
  { MetricName, Dimensions = [] }: Part,
  { Statistic, Period }: Part,
  measured: readonly Record<string, number>[],
): Series => {
  const minutes = Period / 60;
  // The number of slow ones is measured as such.
  const toValue = statistics[Statistic] ?? (/^TC/.test(Statistic) ? statistics.Sum : undefined);
  if (!toValue) throw new Error(`${Statistic} is not known here`);
  const isOf = (name: string): boolean => {
    const [metric, of] = name.split(' ');
    return metric === MetricName && (of === undefined || JSON.stringify(Dimensions).includes(of));
  };
  return Array.from({ length: Math.floor(measured.length / minutes) }, (_, i) => {
    const period = measured.slice(i * minutes, (i + 1) * minutes);
    const values = period.flatMap((minute) =>
      Object.entries(minute)
        .filter(([name]) => isOf(name))
        .map(([, value]) => value),
    );
    return values.length > 0 ? toValue(values) : undefined;
  });
};
