package io.ocicat.netlink.nft;

/** The attributes of expressions (linux/netfilter/nf_tables.h, NFTA_*). */
final class Nfta {
  static final int EXPR_NAME = 1;
  static final int EXPR_DATA = 2;

  static final int META_DREG = 1;
  static final int META_KEY = 2;
  static final int META_SREG = 3;

  static final int PAYLOAD_DREG = 1;
  static final int PAYLOAD_BASE = 2;
  static final int PAYLOAD_OFFSET = 3;
  static final int PAYLOAD_LEN = 4;

  static final int CT_DREG = 1;
  static final int CT_KEY = 2;
  static final int CT_DIRECTION = 3;
  static final int CT_SREG = 4;

  static final int FIB_DREG = 1;
  static final int FIB_RESULT = 2;
  static final int FIB_FLAGS = 3;

  static final int CMP_SREG = 1;
  static final int CMP_OP = 2;
  static final int CMP_DATA = 3;

  static final int RANGE_SREG = 1;
  static final int RANGE_OP = 2;
  static final int RANGE_FROM = 3;
  static final int RANGE_TO = 4;

  static final int BITWISE_SREG = 1;
  static final int BITWISE_DREG = 2;
  static final int BITWISE_LEN = 3;
  static final int BITWISE_MASK = 4;
  static final int BITWISE_XOR = 5;
  static final int BITWISE_OP = 6;

  static final int BYTEORDER_SREG = 1;
  static final int BYTEORDER_DREG = 2;
  static final int BYTEORDER_OP = 3;
  static final int BYTEORDER_LEN = 4;
  static final int BYTEORDER_SIZE = 5;

  static final int LOOKUP_SET = 1;
  static final int LOOKUP_SREG = 2;
  static final int LOOKUP_DREG = 3;
  static final int LOOKUP_FLAGS = 5;

  static final int IMMEDIATE_DREG = 1;
  static final int IMMEDIATE_DATA = 2;

  static final int COUNTER_BYTES = 1;
  static final int COUNTER_PACKETS = 2;

  static final int NAT_TYPE = 1;
  static final int NAT_FAMILY = 2;
  static final int NAT_REG_ADDR_MIN = 3;
  static final int NAT_REG_ADDR_MAX = 4;
  static final int NAT_REG_PROTO_MIN = 5;
  static final int NAT_REG_PROTO_MAX = 6;
  static final int NAT_FLAGS = 7;

  static final int MASQ_FLAGS = 1;
  static final int MASQ_REG_PROTO_MIN = 2;
  static final int MASQ_REG_PROTO_MAX = 3;

  static final int REDIR_REG_PROTO_MIN = 1;
  static final int REDIR_REG_PROTO_MAX = 2;
  static final int REDIR_FLAGS = 3;

  static final int LIMIT_RATE = 1;
  static final int LIMIT_UNIT = 2;
  static final int LIMIT_BURST = 3;
  static final int LIMIT_TYPE = 4;
  static final int LIMIT_FLAGS = 5;

  static final int REJECT_TYPE = 1;
  static final int REJECT_CODE = 2;

  static final int LOG_GROUP = 1;
  static final int LOG_PREFIX = 2;
  static final int LOG_SNAPLEN = 3;
  static final int LOG_QTHRESHOLD = 4;
  static final int LOG_LEVEL = 5;
  static final int LOG_FLAGS = 6;

  static final int DYNSET_SET = 1;
  static final int DYNSET_OP = 3;
  static final int DYNSET_SREG_KEY = 4;
  static final int DYNSET_SREG_DATA = 5;
  static final int DYNSET_TIMEOUT = 6;
  static final int DYNSET_EXPR = 7;
  static final int DYNSET_FLAGS = 9;

  /** The register whose content is the verdict. */
  static final int VERDICT_REGISTER = 0;

  /** NFT_LOOKUP_F_INV, NFT_LIMIT_F_INV. */
  static final int INVERTED = 1;

  /** NF_NAT_RANGE_MAP_IPS and NF_NAT_RANGE_PROTO_SPECIFIED: they follow from the registers. */
  static final int NAT_ADDRESS_GIVEN = 1;

  static final int NAT_PORT_GIVEN = 2;

  private Nfta() {}
}
