/** On a text: the description of its form in error messages, in place of the pattern. Not published. */
export const FORM_WORDS = 'x-form-words';

/** The form of a text, as keywords of its schema. */
export interface TextForm {
  readonly pattern: string;
  readonly [FORM_WORDS]: string;
}

/** @param words the text after "must be" in an error */
export const textForm = (pattern: string, words: string): TextForm => ({ pattern, [FORM_WORDS]: words });

/** 32 bytes, `0x` optional; see normalHash. */
export const HASH = textForm('^(0x)?[a-fA-F0-9]{64}$', 'a hash (64 hex digits, with or without 0x)');

export const DIGITS = textForm('^[0-9]+$', 'digits');
