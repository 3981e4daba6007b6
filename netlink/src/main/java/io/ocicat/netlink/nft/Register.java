package io.ocicat.netlink.nft;

import io.ocicat.netlink.linux.NetlinkException;

/**
 * A register, in which expressions of a rule pass values to each other: sixteen words of four
 * bytes. A value takes as many words as it needs, starting with this one.
 *
 * @param word 0 to 15
 */
public record Register(int word) {
  private static final int WORDS = 16;
  private static final int WORD = 4;
  private static final int WORDS_OF_LARGE = 4;

  /** NFT_REG32_00; below are the four registers of sixteen bytes that overlap the small ones. */
  private static final int FIRST_SMALL = 8;

  /** NFT_REG_1 to NFT_REG_4. */
  public static final Register R1 = new Register(0);

  public static final Register R2 = new Register(4);
  public static final Register R3 = new Register(8);
  public static final Register R4 = new Register(12);

  public Register {
    if (word < 0 || word >= WORDS) {
      throw new IllegalArgumentException("there is no register word " + word + ": 0 to 15");
    }
  }

  /** The first register after a value of so many bytes in this one. */
  public Register after(int bytes) {
    return new Register(word + (bytes + WORD - 1) / WORD);
  }

  /** The kernel names a word by its large register where one starts there. */
  int number() {
    return word % WORDS_OF_LARGE == 0 ? word / WORDS_OF_LARGE + 1 : FIRST_SMALL + word;
  }

  static Register of(int number) {
    if (number >= 1 && number <= WORDS / WORDS_OF_LARGE) {
      return new Register((number - 1) * WORDS_OF_LARGE);
    }
    if (number >= FIRST_SMALL && number < FIRST_SMALL + WORDS) {
      return new Register(number - FIRST_SMALL);
    }
    throw NetlinkException.malformed("register " + number + " is unknown");
  }

  @Override
  public String toString() {
    return "reg " + number();
  }
}
