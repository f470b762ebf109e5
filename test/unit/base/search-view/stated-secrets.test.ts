// Which texts state a secret, and that those come last among the hits of a search.
import { secretsLast, statesSecret } from "../../../../src/base/search-view/stated-secrets.ts";

describe("a text states a secret", () => {
  it.each([
    "My card is 4111 1111 1111 1111, valid until 09/28.",
    "Amex: 3782-822463-10005",
    "Charge my Visa 4111111111111111 please",
    "Meine Kreditkarte: 5500005555555559",
    "Pay to DE89 3704 0044 0532 0130 00.",
    "IBAN GB82WEST12345698765432",
    "身份证 11010519491231002X",
    "Fødselsnummer 01010750160",
    "CPF 529.982.247-25",
    "my social security number is 078-05-1120",
    "The wifi password is hunter2",
    "password for the router: Tr0ub4dor&3",
    'Das Passwort lautet "korrekt pferd"',
    "La contraseña es gato-Verde9",
    "パスワードは sakura2024 です",
    "A senha é gato9verde",
    "Lösenordet är katt-2020",
    "My PIN is 4711.",
  ])("%s", (text) => {
    expect(statesSecret(text)).toBe(true);
  });
});

describe("a text states no secret", () => {
  it.each([
    "Our booking code is K7QX2P, seat 14C.",
    "Booking reference 4821-9930-1175",
    "The booking PIN is 4711.",
    "Order 4111111111111111 was shipped.",
    "Order number 302-5567813-2249901",
    "Parcel 00340434161094042557 arrives on Monday.",
    "My card 4111 1111 1111 1112 was a typo.",
    "Call me on +47 22 12 34 56 or 0171 2345678.",
    "The password is too long, and I forgot it.",
    "Please reset my password: I cannot log in.",
    "The password is case-sensitive!",
    "My pin number changed.",
    "ISBN 978-3-16-148410-0, IMEI 490154203237518",
    "Norsk organisasjonsnummer 01010750161",
    "Ticket GB82WEST12345698765433",
    "We met at 10:30 on 2026-05-01 in room 4711.",
  ])("%s", (text) => {
    expect(statesSecret(text)).toBe(false);
  });

  it("however long it is", () => {
    expect(statesSecret("password card is ".repeat(100_000))).toBe(false);
  });
});

it("puts texts with secrets last, and keeps the order otherwise", () => {
  const texts = ["My PIN is 4711.", "Tea.", "The password is hunter2.", "Booking code 4711."];
  expect(secretsLast(texts, (text) => text)).toEqual([texts[1], texts[3], texts[0], texts[2]]);
});
