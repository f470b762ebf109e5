// Recognizes passwords, card numbers, bank accounts and identity numbers in texts that a search has found.
// Invariant: pure; a secret is recognized by its checksum or by a phrase that states its value, so booking codes, order
// numbers and talk about passwords do not count. Other secrets, such as a door code, are not recognized.

/** Returns the items in their order, but moves items whose text states a secret to the end. */
export function secretsLast<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  const secret = items.filter((item) => statesSecret(textOf(item)));
  return secret.length === 0 ? items : [...items.filter((item) => !secret.includes(item)), ...secret];
}

/** Maximum UTF-16 units of a text that are examined. */
const maxLength = 50_000;

export function statesSecret(text: string): boolean {
  const start = text.slice(0, maxLength);
  return (
    checked.some(({ pattern, isValid }) => [...start.matchAll(pattern)].some(({ 0: found }) => isValid(found))) ||
    statesPassword(start)
  );
}

const digitsOf = (text: string): string => text.replaceAll(/[^0-9]/gu, "");

const cardWords =
  /\b(?:cards?|visa|mastercard|amex|credit|debit|\p{L}*kart[ea]n?|tarjeta|carte|cart[aã]o|kort(?:nummer)?)\b|カード|卡/iu;

/**
 * A card number counts only in printed groups or after a word for a card, because order numbers can pass the Luhn check too.
 */
const printedCard = /(?<![\d-])(?:[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -])\d{6}\2\d{5})(?![\d-])/gu;
const namedCard = new RegExp(String.raw`(?:${cardWords.source})[^.\n]{0,40}?(?<!\d)[2-6]\d{12,18}(?!\d)`, "giu");

const checked: readonly { readonly pattern: RegExp; readonly isValid: (found: string) => boolean }[] = [
  { pattern: printedCard, isValid: (found) => passesLuhn(digitsOf(found)) },
  { pattern: namedCard, isValid: (found) => passesLuhn(/\d+$/u.exec(found)![0]) },
  { pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/gu, isValid: isBankAccount },
  { pattern: /(?<!\d)\d{17}[\dXx](?![\dA-Za-z])/gu, isValid: isChineseIdentity },
  { pattern: /(?<!\d)\d{6} ?\d{5}(?!\d)/gu, isValid: (found) => isNorwegianIdentity(digitsOf(found)) },
  { pattern: /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/gu, isValid: (found) => isBrazilianIdentity(digitsOf(found)) },
  { pattern: /\b(?:SSN|social security number)\b[^.\n\d]{0,20}\d{3}-\d{2}-\d{4}(?!\d)/giu, isValid: () => true },
];

function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}

/** Returns whether a text is a valid IBAN (ISO 13616): 15 to 34 characters, and a remainder of 1 modulo 97. */
function isBankAccount(found: string): boolean {
  const account = found.replaceAll(" ", "");
  if (account.length < 15 || account.length > 34) return false;
  const moved = account.slice(4) + account.slice(0, 4);
  return BigInt(moved.replaceAll(/[A-Z]/gu, (letter) => String(Number.parseInt(letter, 36)))) % 97n === 1n;
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);
}

const isDate = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31;

function isChineseIdentity(found: string): boolean {
  const isDated = /^\d{6}(?:19|20)/u.test(found) && isDate(Number(found.slice(10, 12)), Number(found.slice(12, 14)));
  const sum = weighted(found, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return isDated && "10X98765432"[sum % 11] === found[17]!.toUpperCase();
}

function isNorwegianIdentity(digits: string): boolean {
  const first = weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]);
  const second = weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]);
  return isDate(Number(digits.slice(2, 4)), Number(digits.slice(0, 2))) && first % 11 === 0 && second % 11 === 0;
}

function isBrazilianIdentity(digits: string): boolean {
  const checkOf = (weights: readonly number[]): number => ((weighted(digits, weights) * 10) % 11) % 10;
  const first = checkOf([10, 9, 8, 7, 6, 5, 4, 3, 2]);
  const second = checkOf([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  return first === Number(digits[9]) && second === Number(digits[10]) && new Set(digits).size > 1;
}

const passwordWords = String.raw`\b(?:pass(?:word|code|phrase|wort)|kennwort|contrase(?:ñ|n)a|mot de passe|senha|passord(?:et)?|lösenord(?:et)?|wachtwoord|CVV|CVC)\b|パスワード|暗証番号|密码`;
const pinWords = String.raw`(?<!\b(?:booking|reservation|confirmation|order|pick-?up|collection|delivery) )\bPIN(?: code)?\b`;
/** Matches "is" or a colon, and the words that may precede it, as in "password for the router is". */
const states = String.raw`(?:[^.:=\n]{0,30}?(?:(?<!\p{L})(?:is|ist|lautet|es|est|är|er|é)(?!\p{L})|[:=：]|は|是|为))\s*`;
const statedPassword = new RegExp(`(?:${passwordWords})${states}(?<value>"[^"\\n]{3,64}"|\\S{3,64})`, "giu");
const statedPin = new RegExp(`(?:${pinWords})${states}\\d{3,8}(?![\\d-])`, "iu");

/** A password is quoted, has a digit, or has a symbol before a letter: "the password is too long" states none. */
function statesPassword(text: string): boolean {
  const values = [...text.matchAll(statedPassword)].map(({ groups }) => groups!["value"]!);
  const isStated = values.some((value) => value.startsWith('"') || /\d|[@#$%^&*+=~!][\p{L}\p{N}]/u.test(value));
  return isStated || statedPin.test(text);
}
