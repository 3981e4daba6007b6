package io.ocicat.netlink.nft;

/** A comparison operator for registers (enum nft_cmp_ops). */
public enum Comparison implements Symbol {
  EQ(0, "=="),
  NEQ(1, "!="),
  LT(2, "<"),
  LTE(3, "<="),
  GT(4, ">"),
  GTE(5, ">=");

  private final int number;
  private final String word;

  Comparison(int number, String word) {
    this.number = number;
    this.word = word;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String word() {
    return word;
  }
}
