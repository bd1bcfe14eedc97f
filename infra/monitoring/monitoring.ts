import { Stack } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { RestApi } from '../api.ts';
import type { EventsIn } from '../events-in.ts';
import type { EventsOut } from '../events-out.ts';
import type { FunctionLogs } from '../function-logs.ts';
import type { StreamConsumers } from '../stream-consumers.ts';
import type { WakesQueue } from '../wakes.ts';
import { Alarms, type Listeners } from './alarms.ts';
import { watchApi } from './api.ts';
import { watchCost } from './cost.ts';
import { watchEventsIn, watchEventsOut } from './events.ts';
import { watchFunctions } from './functions.ts';
import { watchStream } from './stream.ts';
import { watchTable } from './table.ts';
import { watchUsage } from './usage.ts';
import { watchWallets } from './wallets.ts';
import { watchWebhooks } from './webhooks.ts';

interface WatchedService {
  listeners: Listeners;
  /** How many customers there are, for what a day may cost. */
  organizations: number | undefined;
  api: RestApi;
  table: ITable;
  logs: FunctionLogs;
  eventsIn: EventsIn;
  streamConsumers: StreamConsumers;
  wakes: WakesQueue;
  eventsOut: EventsOut;
}

/** Alarms on what users feel and what the service costs, and one dashboard of the same. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: WatchedService) {
    super(scope, id);
    const {
      listeners,
      organizations,
      api,
      table,
      logs,
      eventsIn,
      streamConsumers,
      wakes,
      eventsOut,
    } = watched;
    const alarms = new Alarms(this, 'Alarms', listeners);
    watchWallets(alarms, logs);
    watchUsage(alarms, logs.of('worker'));
    const rows = [
      watchApi(alarms, api, [logs.of('routed')]),
      watchFunctions(alarms, {
        logs,
        started: wakes.scheduled,
        requests: api.rest.deploymentStage.metricCount({ statistic: Stats.SUM }),
      }),
      watchTable(alarms, table),
      [
        ...watchEventsIn(alarms, eventsIn, logs.of('queue')),
        ...watchStream(alarms, { streamConsumers, eventsOut, table, logs }),
        ...watchWebhooks(alarms, wakes),
        ...watchEventsOut(alarms, eventsOut),
      ],
      watchCost(alarms, { table, api, logs: logs.all, organizations }),
    ];
    const status = new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.all, width: 24 });
    new Dashboard(this, 'Dashboard', {
      dashboardName: Stack.of(this).stackName,
      widgets: [[status], ...rows],
    });
  }
}
