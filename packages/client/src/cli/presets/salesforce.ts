import type { Preset } from './preset.ts';

/** Salesforce’s reports and exports of leads, contacts and opportunities: with the labels of fields, or their names in its API. */
export const salesforce: Preset = {
  system: 'Salesforce',
  own: /^(?:Company \/ Account|Opportunity (?:Owner|Currency)|Mailing (?:State\/Province|Zip\/Postal Code)|(?:Owner|CreatedBy|LastModifiedBy)Id|CurrencyIsoCode|IsConverted|SystemModstamp)$/,
  fields: [
    { field: 'external_id', columns: [['Lead ID', 'Contact ID', 'Opportunity ID', 'Id']] },
    {
      field: 'contact_name',
      join: true,
      columns: [
        ['First Name', 'FirstName'],
        ['Middle Name', 'MiddleName'],
        ['Last Name', 'LastName'],
      ],
    },
    { field: 'contact_name', columns: [['Full Name', 'Contact Name', 'Lead Name', 'Name']] },
    { field: 'company_name', columns: [['Company / Account', 'Company', 'Account Name']] },
    { field: 'email', columns: [['Email', 'Email Address']] },
    {
      field: 'phone',
      columns: [
        ['Phone', 'Business Phone'],
        ['Mobile', 'Mobile Phone', 'MobilePhone'],
        ['Home Phone', 'HomePhone'],
        ['Other Phone', 'OtherPhone'],
      ],
    },
    { field: 'owner_id', columns: [['Lead Owner', 'Contact Owner', 'Opportunity Owner']] },
    { field: 'owner_id', columns: [['Owner ID', 'OwnerId', 'Record Owner']] },
    { field: 'value', columns: [['Amount']] },
    {
      field: 'currency',
      columns: [
        ['Amount Currency'],
        ['Opportunity Currency', 'CurrencyIsoCode', 'Currency ISO Code', 'Lead Currency'],
      ],
    },
    { field: 'title', columns: [['Opportunity Name']] },
  ],
  country: ['Country', 'Mailing Country', 'MailingCountry', 'CountryCode', 'MailingCountryCode'],
};
