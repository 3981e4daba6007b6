@NullMarked
package io.ocicat.cli.bgp;

import org.jspecify.annotations.NullMarked;
