import { getCountries } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { plainText } from './plain-text.ts';

/** Languages in which a country's name is known: those of the people whose exports are brought in, and their neighbours. */
const languages =
  'en pt pt-PT es fr de it nl da sv nb fi pl cs sk hu ro bg el tr ru uk hr sl et lv lt ca id ms vi th ja ko zh zh-Hant ar he hi fa';

/** ISO 3166-1: the three letters of each country, in the order of the two. */
const threeLetters =
  'ACASC ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BWBWA BYBLR BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GTGTM GUGUM GWGNB GYGUY HKHKG HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ TATAA TCTCA TDTCD TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA USUSA UYURY UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM XKXKX YEYEM YTMYT ZAZAF ZMZMB ZWZWE';

/** Other names by which people call countries. */
const alsoCalled: Readonly<Record<string, string>> = {
  AE: 'UAE, Emirates, Emirados Árabes, Emiratos Árabes',
  BO: 'Bolivia',
  CD: 'DRC, Democratic Republic of the Congo, Congo-Kinshasa, República Democrática do Congo',
  CG: 'Republic of the Congo, Congo-Brazzaville',
  CI: "Ivory Coast, Cote d'Ivoire, Costa do Marfim",
  CN: "People's Republic of China, PRC",
  CV: 'Cabo Verde',
  CZ: 'Czech Republic, República Tcheca, República Checa, Tschechische Republik, République tchèque, Česká republika',
  DE: 'Federal Republic of Germany, Bundesrepublik Deutschland, BRD',
  GB: 'UK, U.K., England, Scotland, Wales, Northern Ireland, Great Britain, Britain, Inglaterra, Escócia, Grã-Bretanha, Gran Bretaña, Angleterre, Grande-Bretagne, Großbritannien, Schottland, Inghilterra, Gran Bretagna, Engeland, Groot-Brittannië, Reino Unido',
  IR: 'Islamic Republic of Iran',
  KP: 'DPRK',
  KR: 'Korea, Republic of Korea, Coreia, Corea, Corée',
  LA: "Lao PDR, Lao People's Democratic Republic",
  MD: 'Republic of Moldova',
  MK: 'Macedonia, FYROM',
  MM: 'Burma',
  NL: 'Holland, The Netherlands, Holanda, Hollande, Países Baixos, Pays-Bas, Olanda',
  PS: 'Palestine, Palestina',
  RU: 'Russian Federation, Federação Russa, Federación Rusa',
  SK: 'Slovak Republic',
  SZ: 'Swaziland, Suazilândia',
  TR: 'Turkey',
  TW: 'Taiwan, Province of China',
  TZ: 'United Republic of Tanzania',
  US: 'U.S., U.S.A., United States of America, America, EUA, E.U.A., EE. UU., EEUU, EEUUA, Estados Unidos da América, Estados Unidos de América, États-Unis d’Amérique, Vereinigte Staaten von Amerika, Stati Uniti d’America, Verenigde Staten van Amerika, USA',
  VA: 'Vatican, Holy See',
  VE: 'Bolivarian Republic of Venezuela',
  VN: 'Viet Nam',
};

const isCountry = (code: string): boolean => (getCountries() as readonly string[]).includes(code);

let known: ReadonlyMap<string, string> | undefined;

/**
 * The country (ISO 3166-1, two letters) that a cell means: by its code of two or three letters, its calling code, or its
 * name in many languages. Undefined for an unknown country.
 */
export const countryOf = (cell: string): string | undefined => {
  if (isCountry(cell.trim())) return cell.trim();
  known ??= namesOfCountries();
  const whole = plainText(cell);
  const [, outside = '', inside = ''] = /^([^()[\]]*)[([]([^()[\]]*)[)\]]\s*$/.exec(cell) ?? [];
  const parts = [...cell.split(/\s[-–—/|]\s|[,;|/]/), outside, inside].map(plainText);
  const found = known.get(whole);
  if (found) return found;
  const all = new Set(parts.flatMap((one) => known?.get(one) ?? []));
  // After a town, two letters may be a state: “Dover, DE” is in Delaware.
  const isSure = parts.some((one) => one.length > 2 && /\D/.test(one) && known?.has(one));
  return isSure && all.size === 1 ? [...all][0] : undefined;
};

/** Countries by the plain text of each name. A name that two countries have is of neither. */
const namesOfCountries = (): Map<string, string> => {
  const names = new Map<string, string | undefined>();
  const add = (name: string | undefined, country: string, force = false) => {
    const plain = plainText(name ?? '');
    if (plain === '') return;
    const other = names.get(plain);
    names.set(plain, force || !names.has(plain) || other === country ? country : undefined);
  };
  const countries = getCountries() as readonly string[];
  for (const language of languages.split(' ')) {
    for (const style of ['long', 'short'] as const) {
      const shown = new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' });
      for (const country of countries) add(shown.of(country), country);
    }
  }
  for (const one of threeLetters.split(' ')) add(one.slice(2), one.slice(0, 2), true);
  for (const country of countries) add(country, country, true);
  for (const [country, all] of Object.entries(alsoCalled)) {
    for (const name of all.split(', ')) add(name, country, true);
  }
  // The first country of a calling code is the country that has most of its numbers.
  for (const [code, [country]] of Object.entries(metadata.country_calling_codes)) {
    if (isCountry(country ?? '')) add(code, country!, true);
  }
  return new Map([...names].flatMap(([name, country]) => (country ? [[name, country]] : [])));
};
