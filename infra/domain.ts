import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';
import { OptionError, option } from './options.ts';

/** The name of the stage, so that addresses end alike on every domain. */
const basePath = 'v1';

/**
 * Your own domain, by `-c domain_name=… -c certificate_arn=…`, with the API's stage as its first path segment.
 * Returns the base URL there, or undefined without a domain. The outputs are for its DNS record.
 */
export const createDomain = (scope: Construct, api: RestApi): string | undefined => {
  const domainName = option(scope, 'domain_name');
  const certificateArn = option(scope, 'certificate_arn');
  if (!domainName && !certificateArn) return undefined;
  if (!domainName || !certificateArn || !/^arn:[\w-]+:acm:/.test(certificateArn)) {
    throw new OptionError(
      'A domain needs both -c domain_name=… and -c certificate_arn=arn:aws:acm:…',
    );
  }
  if (!/^[a-z\d_-]+(\.[a-z\d_-]+)+$/.test(domainName)) {
    throw new OptionError(
      `${domainName} is not a domain name. -c domain_name takes one in lower case, such as api.example.com`,
    );
  }
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
