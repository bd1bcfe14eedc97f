import { App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';

// The control of the test that the service's own app passes the same pack.
const app = new App();
new Queue(new Stack(app, 'Insecure'), 'Queue');
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
