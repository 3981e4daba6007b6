@NullMarked
package io.ocicat.plugins.firewall;

import org.jspecify.annotations.NullMarked;
