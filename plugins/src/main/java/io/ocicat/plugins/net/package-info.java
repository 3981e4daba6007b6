/**
 * Kernel operations that several plugins share: namespaces, veth pairs, addresses and routes of an
 * attachment.
 */
@NullMarked
package io.ocicat.plugins.net;

import org.jspecify.annotations.NullMarked;
