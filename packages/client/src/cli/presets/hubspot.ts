import type { Preset } from './preset.ts';

/** HubSpot’s export of contacts, with its labels in English, Portuguese and Spanish, or the names of its properties. */
export const hubspot: Preset = {
  system: 'HubSpot',
  own: /^(?:Record ID(?: - Contact)?|hs_(?:object_id|lead_status|additional_emails|whatsapp_phone_number)|hubspot_owner_id|HubSpot owner|Marketing contact status|(?:Primary )?Associated Company(?: IDs?)?)$/,
  fields: [
    {
      field: 'external_id',
      columns: [
        [
          'Record ID',
          'Record ID - Contact',
          'Contact ID',
          'hs_object_id',
          'ID do registro',
          'ID de registro',
          'ID del registro',
        ],
      ],
    },
    {
      field: 'contact_name',
      join: true,
      columns: [
        ['First Name', 'firstname', 'Nome', 'Primeiro nome', 'Nombre'],
        ['Last Name', 'lastname', 'Sobrenome', 'Apelido', 'Apellidos', 'Apellido'],
      ],
    },
    {
      field: 'contact_name',
      columns: [['Name', 'Full name', 'Contact name', 'Nome completo', 'Nombre completo']],
    },
    {
      field: 'company_name',
      columns: [
        ['Company Name', 'company', 'Nome da empresa', 'Nombre de la empresa'],
        [
          'Associated Company',
          'Primary Associated Company',
          'Primary company',
          'Empresa associada',
          'Empresa asociada',
        ],
      ],
    },
    {
      field: 'email',
      columns: [
        ['Email', 'E-mail', 'Email address', 'Correo', 'Correo electrónico'],
        ['Work email', 'E-mail de trabalho', 'Correo de trabajo'],
        ['Additional email addresses', 'Additional emails', 'hs_additional_emails'],
      ],
    },
    {
      field: 'phone',
      columns: [
        [
          'Phone Number',
          'phone',
          'Número de telefone',
          'Telefone',
          'Número de teléfono',
          'Teléfono',
        ],
        [
          'Mobile Phone Number',
          'mobilephone',
          'Número de telefone celular',
          'Número do celular',
          'Número de teléfono móvil',
        ],
        [
          'WhatsApp Phone Number',
          'hs_whatsapp_phone_number',
          'Número de telefone do WhatsApp',
          'Número de teléfono de WhatsApp',
        ],
      ],
    },
    {
      field: 'owner_id',
      columns: [
        [
          'Contact owner',
          'HubSpot owner',
          'hubspot_owner_id',
          'Proprietário do contato',
          'Propietario del contacto',
        ],
      ],
    },
  ],
  country: ['Country/Region', 'Country', 'País/região', 'País/Región', 'País'],
};
