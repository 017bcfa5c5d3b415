KINDS = {}


def known(name):
    def keep(make):
        KINDS[name] = make
        return make

    return keep
