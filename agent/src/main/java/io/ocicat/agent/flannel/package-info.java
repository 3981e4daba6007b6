/**
 * flanneld's job: leases a subnet for the node, follows the leases of the others, and says what the
 * node's network needs so that packets reach them. Compatible with flanneld: nodes of both kinds
 * form one network.
 */
@NullMarked
package io.ocicat.agent.flannel;

import org.jspecify.annotations.NullMarked;
