@NullMarked
package io.ocicat.plugins.iptables;

import org.jspecify.annotations.NullMarked;
