import { CfnOutput } from 'aws-cdk-lib';
import {
  DomainName,
  EndpointType,
  SecurityPolicy,
  type SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';
import type { StackOptions } from './options.ts';

/** The name of the stage, so that addresses end alike on every domain. */
const basePath = 'v1';

/**
 * Your own domain, with the API's stage as its first path segment.
 * Returns the base URL there, or undefined without a domain. The outputs are for its DNS record.
 */
export const createDomain = (
  scope: Construct,
  { domain_name: domainName, certificate_arn: certificateArn }: StackOptions,
  api: SpecRestApi,
): string | undefined => {
  if (!domainName || !certificateArn) return undefined;
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  domain.addBasePathMapping(api, { basePath });
  new CfnOutput(scope, 'DomainTarget', { value: domain.domainNameAliasDomainName });
  new CfnOutput(scope, 'DomainTargetZone', { value: domain.domainNameAliasHostedZoneId });
  return `https://${domainName}/${basePath}`;
};
