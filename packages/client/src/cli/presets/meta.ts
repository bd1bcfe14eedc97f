import type { Preset } from './preset.ts';

/** Leads of Meta’s forms (Facebook and Instagram), with its own questions in English, Portuguese and Spanish. */
export const meta: Preset = {
  system: 'Meta lead ads',
  own: /^(?:adset_id|adset_name|is_organic)$/,
  fields: [
    { field: 'external_id', columns: [['id', 'lead_id']] },
    { field: 'contact_name', columns: [['full_name', 'nome_completo', 'nombre_completo']] },
    {
      field: 'contact_name',
      join: true,
      columns: [
        ['first_name', 'nome', 'nombre'],
        ['last_name', 'sobrenome', 'apellido', 'apellidos'],
      ],
    },
    {
      field: 'company_name',
      columns: [['company_name', 'nome_da_empresa', 'nombre_de_la_empresa']],
    },
    {
      field: 'email',
      columns: [
        ['email', 'e-mail', 'correo_electrónico'],
        ['work_email', 'email_comercial', 'correo_electrónico_del_trabajo'],
      ],
    },
    {
      field: 'phone',
      columns: [
        ['phone_number', 'phone', 'número_de_telefone', 'telefone', 'número_de_teléfono'],
        ['whatsapp_number', 'número_do_whatsapp', 'número_de_whatsapp'],
        ['work_phone_number', 'telefone_comercial', 'número_de_teléfono_del_trabajo'],
      ],
    },
  ],
  country: ['country', 'país'],
  // Meta writes these marks so that no spreadsheet takes an id, a phone or a postal code for a number.
  mark: /^(?:l|p|f|c|z|ag|as):(?=\+?\d[\d-]{3,}$)/,
};
